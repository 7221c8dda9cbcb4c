// Package mediaworker starts the processes that decode and encode, and is the hidden command
// that such a process runs. Decoded bytes are hostile and never enter the node's process.
// The wiring and the doctor call it.
package mediaworker
