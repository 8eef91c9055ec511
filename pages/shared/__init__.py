"""What the pages share: words, the address, models and captures, the two sides."""
