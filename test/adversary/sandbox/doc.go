// Package sandbox plays media that has taken over a codec. It stops a thread of a real
// node's media worker, and makes that thread ask the system for everything there is:
// every number of every interface that the kernel has for programs, and what an intruder
// would want to do to the node. What comes back has to be a refusal, but for the calls
// that transcoding needs.
//
// The tests take the thread over with ptrace, from outside: neither the node nor its
// worker has a part for it.
package sandbox
