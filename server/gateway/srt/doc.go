// Package srt takes streams that encoders publish by SRT, as MPEG-TS with H.264.
//
// The protocol is datarhei/gosrt's, the container mediacommon's; a guard before it bounds what a client can make it
// keep. Where streams go is the matter of server/gateway/ingest.
package srt
