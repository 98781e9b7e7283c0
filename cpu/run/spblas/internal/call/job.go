package call

import "github.com/tilesmith/tilesmith/cpu/run/internal/work"

// Step is what the tasks of a call are at the moment.
type Step uint8

// The steps of calls. A package may have others, from OwnStep on.
const (
	PackStep  Step = iota // copies b
	SumStep               // multiplies by kernels
	PlainStep             // multiplies in Go
	OwnStep
)

// A Body is a call that is cut into tasks.
type Body interface {
	// Task does task t of the step that the call is at.
	Task(w *Scratch, t int)
}

// Job is the tasks of a call, of one kind after another. A worker has a scratch for all that it takes.
type Job struct {
	work.Tasks
	Step Step
	body Body
}

// Run makes workers, no more than threads or tasks, do the tasks of a step.
func (j *Job) Run(body Body, threads int, step Step, count int) {
	j.Step, j.body = step, body
	j.Tasks.Run(j, threads, count)
}

// Work is the share of one goroutine.
func (j *Job) Work(bool) {
	w := Scratches.Get()
	for t, ok := j.Next(); ok; t, ok = j.Next() {
		j.body.Task(w, t)
	}
	w.Release()
}
