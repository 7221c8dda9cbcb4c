// Package rtmp takes streams that encoders publish by RTMP, and sends the result of live video to RTMP servers.
//
// The protocol is bluenviron/gortmplib's, with the guard of server/gateway/rtmp/guard before it. Where streams go is
// the matter of server/gateway/ingest.
package rtmp
