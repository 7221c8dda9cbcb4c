// Package live serves live video-to-video on a gateway (live.md section 5): a client publishes by WHIP, an
// orchestrator's runner transforms the pictures, and viewers watch the result by WHEP.
//
// The input is cut at key frames into MPEG-TS segments, which go to an orchestrator over a channel while they
// grow. Its output comes back over another one and is kept in a bounded ring of frames for the viewers. When an
// orchestrator fails, the stream goes on at another one: publisher and viewers keep their connections, and the
// viewers' time stamps go on.
//
// Publishers may be at a media server, which calls when it has one: their streams are read from it by RTMP. Services
// of the operator admit streams (Webhook) and end them (Heartbeat).
//
// No codec runs here: frames are moved, not decoded.
package live
