// Package pool spreads sessions over devices, those of this machine and those of
// other machines alike, and answers for them: a session stays on one device and
// moves only between two segments, a segment whose device fails is tried on others
// while its time lasts, a device that keeps failing is left alone for a while, and
// new sessions are admitted by what the devices have shown to be able to do.
//
// It is the core.Transcoder that the rest of the node sees, and the placement.Placer
// that devices are attached to while it works. The media work itself is done by the
// devices, as a rule clients of media-worker processes (transcoder/worker) and of
// transcoders on other machines (server/remote); it knows of neither how they work.
//
// Devices that can do the same form a class. Each class keeps its devices in a tree
// by how much of them is in use, so that a place is found in a few steps however
// many there are (tree.go). One lock covers the trees and is held while a session is
// placed; a segment of a session that has its place takes that session's and its
// device's lock only.
package pool
