// Package packages tests what operators install: it packs programs built here as
// `make packages` does, looks at deb and rpm with the distribution's own tools, rates
// the unit's hardening, runs the container image in a real Docker Engine, and has every
// flag of the compose files checked by the program itself.
//
// Nothing is installed on the machine. What takes minutes (other architectures, two
// builds compared, a booted system) is behind make's targets instead.
package packages
