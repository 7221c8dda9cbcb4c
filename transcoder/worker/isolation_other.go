//go:build !linux

package worker

// strictest returns the level to try first. This system has none of them.
func strictest() isolation { return otherUser }

// missing returns the restrictions that the level lacks; the child reports all of them itself.
func (isolation) missing(Options) []string { return nil }
