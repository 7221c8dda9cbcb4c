package sandbox

// first are the walls that stand before the engine is opened.
func first(keep int, o Options) []wall {
	return []wall{
		{"closing inherited files", func() error { return closeFilesAbove(keep) }},
		{"limits", func() error { return setLimits(o) }},
		{"low priority", func() error { return lowerPriority(o.Nice) }},
		{"first choice of the kernel's out-of-memory killer", offerToOOMKiller},
		{"no new privileges", renounce},
		{OtherUser, func() error { return becomeUser(o) }},
		{"seccomp while the engine is opened", func() error { return restrictOpening(o) }},
	}
}

// last are those that shut everything.
func last(o Options) []wall {
	return []wall{
		{OwnRoot, func() error { return ownRoot(o) }},
		{Capabilities, dropCapabilities},
		{Landlock, func() error { return restrictFiles(o) }},
		{"newer Landlock", olderLandlock},
		{Calls, func() error { return restrictServing(o) }},
	}
}
