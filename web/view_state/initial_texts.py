"""Texts that pages show before a person types or chooses one."""

from web.view_state.parameters import DEFAULT_TEXT

PROMPT = "When Mary and John went to the store, John gave a drink to"
"""Of the Decoder page's Generate part."""

MESSAGE = "What is the capital of France?"
"""First message of a conversation, in place of the prompt."""

OF_TRANSLATOR = {"phrases": "the blue flower is not small", "dates": "3rd of May, 2019"}
"""Of each translator in this repository."""

OF_OTHER_TRANSLATORS = "The house is small, but the garden is not."

INITIAL_TEXTS = (DEFAULT_TEXT, PROMPT, MESSAGE, *OF_TRANSLATOR.values(), OF_OTHER_TRANSLATORS)
"""All of them: none is a student's own."""
