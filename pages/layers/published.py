"""Published curves of BERT-base, to compare with our profiles."""

PUBLISHED = {
    "sep": [0.02, 0.05, 0.07, 0.21, 0.49, 0.55, 0.54, 0.57, 0.58, 0.47, 0.05, 0.08],
    "cls": [0.05, 0.26, 0.24, 0.15, 0.02, 0.01, 0.01, 0.01, 0.01, 0.01, 0.03, 0.01],
    "punctuation": [0.07, 0.11, 0.09, 0.08, 0.05, 0.05, 0.04, 0.06, 0.05, 0.08, 0.52, 0.57],
    "entropy": [3.60, 2.85, 2.55, 2.73, 2.41, 1.91, 1.92, 1.75, 2.21, 2.51, 2.79, 2.82],
}
"""Clark et al. 2019, figures 2 and 4, read from the published curves (to about 0.01 and 0.04 nats):
BERT-base uncased, means over the heads of a layer and over 1,000 passages of Wikipedia."""
