from web.widgets.glossary import terms, underline_terms


def test_the_first_of_each_term_is_underlined():
    text = underline_terms("In minilm, L3·H1 and L4·H5; `scratch`, scratch@0, nats, nats")
    assert text.count("](#term ") == 3
    assert text.startswith('In [minilm](#term "all-MiniLM')
    assert "[L3·H1](#term" in text and "L4·H5; `scratch`, scratch@0, [nats](#term" in text


def test_every_term_is_one_sentence():
    for term, sentence in terms().items():
        assert sentence.endswith(".") and ". " not in sentence, term


def test_terms_are_found_in_escaped_names():
    assert underline_terms(r"to \[CLS\]").startswith(r"to [\[CLS\]](#term ")
    assert underline_terms(r"minilm\-sentiment").startswith(r"[minilm\-sentiment](#term ")
