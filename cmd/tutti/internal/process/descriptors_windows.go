package process

// mostFiles is 0: the system bounds handles by its memory.
func mostFiles() int { return 0 }

func openFiles() int { return 0 }
