// Package helpcmd is the commands help, completion and version: they print what the program knows
// of itself, its options and the codes of conditions. They ask no running node; package main calls
// them.
package helpcmd
