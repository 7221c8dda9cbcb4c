// Package media starts the media workers of GPUs, before an upgrade as well as in the running
// node, and lets AI jobs use media workers for audio and videos. Segments are placed by
// package transcoder/pool. Only cmd/tutti calls it.
//
// mediaworker.go starts the processes that decode and encode, and is the hidden command that such a
// process runs. Decoded bytes are hostile and never enter the node's process.
package media
