// Package byoc has what tests of external capabilities share: a capability's server, a gateway's client that signs
// and pays, and an orchestrator's listener in the test's process.
//
// It is no part of the node.
package byoc
