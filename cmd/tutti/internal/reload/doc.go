// Package reload reads the configuration again while the node runs and takes over what may change.
// Each role gives the steps that apply to its own parts; package process calls Reload.
package reload
