package node

// ownerOf: there users have no numbers, and the listening process is not known either.
func ownerOf(string) (user int, known bool) { return 0, false }
