// Package bundle writes a debug bundle: one archive with what a helper of an
// operator asks for first. It says what is in it, only its owner may read it, and
// nothing secret is in it: every part masks its own secrets, and what the
// configuration holds as secret is taken out of all parts once more.
//
// It changes nothing, and asks the running node only over its admin API; a node that
// does not run is no hindrance. `tutti doctor bundle` in cmd/tutti is its caller.
package bundle
