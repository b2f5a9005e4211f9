"""What a kernel expansion has learned besides its support vectors, as one array of numbers."""

# the ring of slots: where the oldest is, how many there are, for how many there is room
HEAD, LIVE, ROOM = 0, 1, 2
# rounds (or updates) by which ages are told, and how many were dropped
CLOCK, DROPPED = 3, 4
# the Forgetron's mistakes M and damage Q
MISTAKES, DAMAGE = 5, 6
PAGES = 7
