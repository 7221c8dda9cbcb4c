// Package coretest holds the contract suites and fakes of core's ports. Only
// tests import it.
//
// A suite is the port's comment made executable: every implementation and the
// fake pass the same one, so that a test that uses the fake means something.
package coretest
