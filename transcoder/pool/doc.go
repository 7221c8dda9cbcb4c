// Package pool spreads sessions over the devices of this machine and answers for
// them: a session stays on one device, a segment that takes too long or loses
// its worker is tried once more, a device that keeps failing is left alone for a
// while, and new sessions are admitted by what the devices have shown to be able
// to do.
//
// It is the core.Transcoder that the rest of the node sees. The media work
// itself is done by the engines it is given, as a rule clients of media-worker
// processes (transcoder/worker).
package pool
