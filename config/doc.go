// Package config turns the command line, the environment and a configuration
// file into one typed, read-only Config.
//
// One option table (the options_*.go files) is the only place that knows an
// option's name, spellings, type, default, meaning and the part of the node it
// belongs to; flags, environment names, file keys, messages, help, the
// documentation page, the sample file and the start-up table all derive from it.
// Every value remembers where it came from, and all problems are reported at
// once.
//
// The package opens nothing and knows no other part of the node: files are read
// through the function it is given, and what a Config means is decided by
// cmd/tutti, its caller, which hands plain options to the adapters.
package config
