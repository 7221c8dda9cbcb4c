// Package rtmp takes streams that encoders publish by RTMP, and sends the result of live video to RTMP servers.
//
// The protocol is bluenviron/gortmplib's. A guard before it bounds what a client can make it keep: the library reads
// messages of 10 MB in 62 interleaved series, and objects in objects by recursion. Where streams go is the matter of
// server/gateway/ingest.
package rtmp
