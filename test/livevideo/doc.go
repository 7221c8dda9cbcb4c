// Package livevideo plays the peers of a gateway's live video for tests: a client that publishes numbered pictures
// by WHIP, one that watches them by WHEP, and an orchestrator with a runner that sends back what it gets. The
// pictures are no video that a decoder would take: what is tested moves frames and decodes none.
//
// Its callers are the tests of server/gateway/live, test/adversary/live and test/e2e, and test/benchlive.
package livevideo
