"""What the pages share: words, the address, the cache, the two sides."""
