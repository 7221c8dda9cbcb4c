// Package ingest takes streams that encoders publish by RTMP or by SRT (MPEG-TS with H.264), and sends the result of
// live video to RTMP servers.
//
// An Ingest reads the streams' addresses, admits them by the rules for pushes, keeps one publisher per stream, and
// leads their pictures and sound to the gateway, which has them transcoded, or to live video. RTMP and SRT are the
// listeners before it: the protocols are bluenviron/gortmplib's and datarhei/gosrt's, the container mediacommon's.
// Guards before them (server/admission.RTMPGuard, tspackets.go) bound what a client can make the libraries keep.
package ingest
