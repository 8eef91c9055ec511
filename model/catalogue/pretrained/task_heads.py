"""Task heads of pretrained encoders: which head a checkpoint has, and what it computes."""

from torch import nn
from transformers import (
    AutoModel,
    AutoModelForMaskedLM,
    AutoModelForQuestionAnswering,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    PretrainedConfig,
)

from model.capture.language_head import LanguageHead
from model.catalogue.loaded_model import Forward
from model.catalogue.pretrained.family import Family
from model.catalogue.tasks import Kind, Task
from model.errors import HeadlightError

MASKED_LM = "ForMaskedLM"
SEQUENCE = "ForSequenceClassification"
TOKEN = "ForTokenClassification"
ANSWER = "ForQuestionAnswering"
NONE = ""
"""Task heads, by the end of their models' class names."""

AUTO_CLASSES = {
    MASKED_LM: AutoModelForMaskedLM,
    SEQUENCE: AutoModelForSequenceClassification,
    TOKEN: AutoModelForTokenClassification,
    ANSWER: AutoModelForQuestionAnswering,
    NONE: AutoModel,
}
"""Auto class for each head. No head comes last, because its empty name matches every class."""


def task_head(name: str, config: PretrainedConfig) -> str:
    """Find the head with which the weights were saved, a key of AUTO_CLASSES.

    Args:
        name: Name of the model.
        config: Its configuration.

    Raises:
        HeadlightError: If the configuration contradicts itself.
    """
    trained_as = config.architectures or [""]
    if not isinstance(trained_as, list):
        raise HeadlightError("The config.json of {name} cannot be read.", name=name)
    head = next(head for head in AUTO_CLASSES if str(trained_as[0]).endswith(head))
    if head == ANSWER and config.num_labels != 2:
        raise HeadlightError(
            "{name} should find the start and the end of an answer, but its config.json names "
            "{n_labels} labels.",
            name=name,
            n_labels=config.num_labels,
        )
    return head


def masked_lm(
    family: Family, module: nn.Module, config: PretrainedConfig, head: str
) -> Forward | None:
    """Make the function that runs a model up to its logits; None without a masked-language head.

    Args:
        family: Family of the model.
        module: The model with its head.
        config: Its configuration.
        head: Its head, see :func:`task_head`.
    """
    return family.forward(module, config, "logits") if head == MASKED_LM else None


def language_head(family: Family, module: nn.Module, head: str) -> LanguageHead | None:
    """Collect the masked-language head of a model; None without it, or if its parts are unknown.

    Args:
        family: Family of the model.
        module: The model with its head.
        head: Its head, see :func:`task_head`.
    """
    return family.head.of(module) if family.head and head == MASKED_LM else None


def task(family: Family, module: nn.Module, config: PretrainedConfig, head: str) -> Task | None:
    """Describe the task of a head; None without a head and for the masked-language head.

    Args:
        family: Family of the model.
        module: The model with its head.
        config: Its configuration.
        head: Its head, see :func:`task_head`.
    """
    if head == ANSWER:
        logits = family.forward(module, config, "start_logits", "end_logits")
        return Task("answer", ("start", "end"), logits)
    if head not in (SEQUENCE, TOKEN):
        return None
    labels = tuple(str(label) for _, label in sorted((config.id2label or {}).items()))
    kind = "token" if head == TOKEN else _kind(config)
    return Task(kind, labels, family.forward(module, config, "logits"))


def _kind(config: PretrainedConfig) -> Kind:
    """Kind of a sequence classifier, as transformers trains it: a single label is a regression."""
    if config.problem_type == "multi_label_classification":
        return "multi"
    if config.problem_type == "regression" or config.num_labels == 1:
        return "regression"
    return "sequence"
