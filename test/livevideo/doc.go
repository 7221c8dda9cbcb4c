// Package livevideo plays the peers of a gateway's live video for tests: a client that publishes numbered pictures
// by WHIP, one that watches them by WHEP, and an orchestrator with a runner that sends back what it gets. The
// pictures are no video that a decoder would take: what is tested moves frames and decodes none.
//
// Next to them it plays an operator's services and the media server that a publisher may be at.
//
// Its callers are the tests of server/gateway/live, test/adversary/live and test/e2e, and test/benchlive.
package livevideo
