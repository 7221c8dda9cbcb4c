// Package engine gives tests a real Docker Engine: a private one that starts with
// the test process and is gone after it, with nothing of it left even if the
// process is killed.
//
// Where the kernel or the user does not allow that, it falls back to an engine
// that is there already, and else skips with the reasons. Nothing shipped uses it,
// and it needs no registry: images are made out of programs built here, see
// RunnerImage.
package engine
