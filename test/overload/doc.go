// Package overload pushes more streams than an orchestrator can transcode in real time,
// through two gateways, and checks which streams are served: streams that were admitted go on, the
// others are refused at once by name, and no segment is worked on twice. It runs some
// seconds as a test; `-overload.for=10m` asks for the long run whose figures are in
// docs/media.md.
package overload
