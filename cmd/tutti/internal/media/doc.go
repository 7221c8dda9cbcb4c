// Package media starts the media workers of GPUs, before an upgrade as well as in the running
// node, and lets AI jobs use media workers for audio and videos. Segments are placed by
// package transcoder/pool. Only cmd/tutti calls it.
package media
