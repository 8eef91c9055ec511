"""What a checkpoint was fine-tuned for: the head on top of its encoder, in transformers' words."""

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
from model.catalogue.loaded import Forward
from model.catalogue.pretrained.family import Family
from model.catalogue.tasks import Kind, Task
from model.errors import HeadlightError

MASKED_LM = "ForMaskedLM"
SEQUENCE = "ForSequenceClassification"
TOKEN = "ForTokenClassification"
ANSWER = "ForQuestionAnswering"
NONE = ""
"""Task heads, by how the names of their models' classes end."""

AUTO_CLASSES = {
    MASKED_LM: AutoModelForMaskedLM,
    SEQUENCE: AutoModelForSequenceClassification,
    TOKEN: AutoModelForTokenClassification,
    ANSWER: AutoModelForQuestionAnswering,
    NONE: AutoModel,
}
"""What loads a model with each of them. Last comes no head, which fits whatever else there is."""


def task_head(name: str, config: PretrainedConfig) -> str:
    """Which of AUTO_CLASSES the weights were saved with.

    Raises:
        HeadlightError: If the configuration contradicts itself; it is called by the name.
    """
    trained_as = config.architectures or [""]
    if not isinstance(trained_as, list):
        raise HeadlightError("The config.json of {name} cannot be read.", name=name)
    head = next(head for head in AUTO_CLASSES if str(trained_as[0]).endswith(head))
    if head == ANSWER and config.num_labels != 2:
        raise HeadlightError(
            "{name} is meant to find answers, which have a start and an end, but its config.json "
            "names {n_labels} labels.",
            name=name,
            n_labels=config.num_labels,
        )
    return head


def masked_lm(
    family: Family, module: nn.Module, config: PretrainedConfig, head: str
) -> Forward | None:
    """Runs the model up to the logits over its vocabulary; None without that head."""
    return family.forward(module, config, "logits") if head == MASKED_LM else None


def language_head(family: Family, module: nn.Module, head: str) -> LanguageHead | None:
    """The parts of the masked-language head; None without it, and where they are not known."""
    return family.head.found(module) if family.head and head == MASKED_LM else None


def task(family: Family, module: nn.Module, config: PretrainedConfig, head: str) -> Task | None:
    """What the head decides; None for an encoder alone and for the masked-language head."""
    if head == ANSWER:
        logits = family.forward(module, config, "start_logits", "end_logits")
        return Task("answer", ("start", "end"), logits)
    if head not in (SEQUENCE, TOKEN):
        return None
    labels = tuple(str(label) for _, label in sorted((config.id2label or {}).items()))
    kind = "token" if head == TOKEN else _kind(config)
    return Task(kind, labels, family.forward(module, config, "logits"))


def _kind(config: PretrainedConfig) -> Kind:
    """Read as transformers does in training: one label alone is a number to be estimated."""
    if config.problem_type == "multi_label_classification":
        return "multi"
    if config.problem_type == "regression" or config.num_labels == 1:
        return "regression"
    return "sequence"
