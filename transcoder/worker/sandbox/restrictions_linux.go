package sandbox

// first returns the restrictions that apply before the engine is opened.
func first(keep int, o Options) []restriction {
	return []restriction{
		{"closing inherited files", func() error { return closeFilesAbove(keep) }},
		{"limits", func() error { return setLimits(o) }},
		{"low priority", func() error { return lowerPriority(o.Nice) }},
		{"first choice of the kernel's out-of-memory killer", offerToOOMKiller},
		{"no new privileges", renounce},
		{OtherUser, func() error { return becomeUser(o) }},
		{"seccomp while the engine is opened", func() error { return restrictOpening(o) }},
	}
}

// last returns those that apply once the engine is open.
func last(o Options) []restriction {
	return []restriction{
		{OwnRoot, func() error { return ownRoot(o) }},
		{Capabilities, dropCapabilities},
		{Landlock, func() error { return restrictFiles(o) }},
		{"newer Landlock", olderLandlock},
		{Calls, func() error { return restrictServing(o) }},
	}
}
