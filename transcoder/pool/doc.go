// Package pool schedules transcoding sessions on devices, local and remote. A session
// stays on one device and moves only between two segments. A segment that fails on its
// device is retried on others until its deadline. A device that fails repeatedly is
// quarantined. New sessions are admitted by the measured capacity of the devices.
//
// Pool is the core.Transcoder that the rest of the node sees, and the device.Placer
// that devices attach to at run time. The devices do the media work. Most are clients of
// media-worker processes (transcoder/worker) or transcoders on other machines
// (server/remote); the pool does not depend on how they work.
//
// Devices with equal capabilities form a class. Each class keeps its devices in a tree
// ordered by utilization, so that a search takes a few steps for any number of devices
// (tree.go). One lock covers the trees and is held while a session is placed. A segment of
// a placed session takes only the locks of its session and its device.
package pool
