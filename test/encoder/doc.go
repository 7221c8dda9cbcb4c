// Package encoder plays an encoder that publishes by RTMP or SRT, and an RTMP server that gets streams, for tests.
//
// Its callers are the tests of server/gateway/ingest, test/e2e and test/adversary/gateway.
package encoder
