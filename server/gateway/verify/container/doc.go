// Package container walks the two containers of segments, MPEG-TS packets and MP4
// boxes, and finds the first video stream in them.
//
// It never copies media and never fails: what does not look like it should is passed
// over. Packages sniff and verify read segments with it.
package container
