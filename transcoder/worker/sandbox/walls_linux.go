package sandbox

// first are the walls that stand before the engine is opened.
func first(keep int, o Options) []wall {
	return []wall{
		{"closing inherited files", func() error { return closeFilesAbove(keep) }},
		{"limits", func() error { return setLimits(o) }},
		{"low priority", func() error { return lowerPriority(o.Nice) }},
		{"first choice of the kernel's out-of-memory killer", offerToOOMKiller},
	}
}

// last are those that shut everything.
func last(o Options) []wall {
	return []wall{
		{"dropping capabilities", dropCapabilities},
		{"Landlock (files, signals)", func() error { return restrictFiles(o) }},
		{"seccomp (system calls)", restrictCalls},
	}
}
