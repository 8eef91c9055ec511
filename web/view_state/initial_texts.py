"""Texts that pages show before a person types or chooses one."""

PROMPT = "When Mary and John went to the store, John gave a drink to"
"""Of the Decoder page's Generate part."""

MESSAGE = "What is the capital of France?"
"""First message of a conversation, in place of the prompt."""

OF_TRANSLATOR = {"phrases": "the blue flower is not small", "dates": "3rd of May, 2019"}
"""Of each translator in this repository."""

OF_OTHER_TRANSLATORS = "The house is small, but the garden is not."
