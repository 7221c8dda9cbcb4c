// Package worker is the remote workers, for AI and for transcoding. Their common part dials the
// orchestrators, registers with them, reads their notifications, reconnects after a loss, posts
// results, and deregisters when the worker stops.
//
// The common part knows nothing of segments or models: the AI worker and the transcoder
// define what a registration offers and how a notification is handled (Work). The
// orchestrator's side is server/remote. cmd/tutti runs a Loop as a component after the
// engine that does the work.
//
// The AI worker (ai_*.go) tells orchestrators which models this machine has, does the jobs that
// they send, and takes the answers back. It speaks to orchestrators of the existing network in
// their forms, and to our own without changing request or answer. server/remote/aiworkers is the
// other end.
//
// The remote transcoder (transcoder_*.go) takes orchestrators' segments, has them transcoded by the
// node's own pool, and takes the renditions back. It transcodes nothing itself and places no
// sessions. server/remote/transcoders is the other end.
package worker
