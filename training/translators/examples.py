"""Example inputs of the translators for the page and the evaluation."""

OUTSIDE = {
    "phrases": (
        "she sees the cat",
        "the cat that sleeps is black",
        "does the cat sleep",
        "the cat sees the dog and the bird",
        "a small blue old flower",
        "the cats slept",
        "the blue zebra",
        "small cats",
    ),
    "dates": (
        "3 Sept 2019",
        "2019 May 3",
        "third of May 2019",
        "3 mai 2019",
        "3 May 1850",
        "May 2019",
        "hello",
    ),
}
"""Inputs outside the training. The model card lists the outputs."""

EXAMPLES = {
    "phrases": (
        "the blue flower is not small",
        "the blue flower",
        "the small blue flower",
        "the old man",
        "my sister's black cat",
        "the white house is beautiful",
        "the girl and the boy are happy",
        "the girl and the queen are happy",
        "there is no bread in the kitchen",
        "some cold water",
        "the dog does not drink any milk",
        "some small birds never sleep here",
        "her mother often buys an old book",
        "the king's horse is near the castle",
    ),
    "dates": (
        "3rd of May, 2019",
        "May 3 '19",
        "03.05.2019",
        "Friday, 3 May 2019",
        "5/23/2019",
        "the 21st of December 1999",
        "29 February 2024",
        "1 Jan 50",
        "31 February 2019",
        "29 February 2023",
        "Monday, 3 May 2019",
        "03/05/2019",
    ),
}
