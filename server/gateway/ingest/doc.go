// Package ingest takes streams that clients publish by RTMP or SRT: it reads their addresses, admits them by the
// rules for pushes, keeps one publisher per stream, and leads their pictures and sound to the gateway, which has
// them transcoded, or to live video.
//
// It knows neither protocol: server/gateway/rtmp and server/gateway/srt are its callers.
package ingest
