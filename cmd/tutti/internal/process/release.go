package process

// NetworkVersion is the release of the existing network's node whose wire
// interface this one speaks. Gateways compare it with the minimum they were
// given; tutti's own version would tell them nothing.
const NetworkVersion = "0.9.1"

// Version is set when the program is linked. Read-only.
var Version = "undefined"
