// Package stills makes a video of still pictures, as the image-to-video pipeline
// answers: the frames come as PNG files and go out as one H.264 MP4 file.
//
// Nothing is decoded here. The PNG files are wrapped as they are into a QuickTime
// file, which the media workers read like any other segment: hostile pictures
// meet libav in the process that is made for it.
package stills
