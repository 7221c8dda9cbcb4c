//go:build !linux

package worker

// strictest is the level to try first. This system has none of them.
func strictest() isolation { return otherUser }

// missing names the walls that the level lacks; the child names all of them itself.
func (isolation) missing(Options) []string { return nil }
