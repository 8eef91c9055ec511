"""What captures say: how they add up, compare, and change when a head is off."""
