package part

// queue is a heap of vertices, the one with the largest key first, whose keys can be changed.
type queue struct {
	heap []int32
	key  []int64 // of each vertex
	at   []int32 // where in the heap a vertex is, from 1; 0: it is not
}

func newQueue(n int) *queue { return &queue{key: make([]int64, n), at: make([]int32, n)} }

func (q *queue) len() int            { return len(q.heap) }
func (q *queue) has(v int32) bool    { return q.at[v] > 0 }
func (q *queue) top() int32          { return q.heap[0] }
func (q *queue) keyOf(v int32) int64 { return q.key[v] }

// set adds v, or changes its key.
func (q *queue) set(v int32, key int64) {
	i := int(q.at[v]) - 1
	if i < 0 {
		i = len(q.heap)
		q.heap = append(q.heap, v)
		q.at[v] = int32(i + 1)
		q.key[v] = key
		q.up(i)
		return
	}
	was := q.key[v]
	q.key[v] = key
	if key > was {
		q.up(i)
	} else if key < was {
		q.down(i)
	}
}

func (q *queue) remove(v int32) {
	i := int(q.at[v]) - 1
	last := len(q.heap) - 1
	u := q.heap[last]
	q.heap = q.heap[:last]
	q.at[v] = 0
	if i == last {
		return
	}
	q.heap[i] = u
	q.at[u] = int32(i + 1)
	q.up(i)
	q.down(int(q.at[u]) - 1)
}

func (q *queue) clear() {
	for _, v := range q.heap {
		q.at[v] = 0
	}
	q.heap = q.heap[:0]
}

func (q *queue) up(i int) {
	v := q.heap[i]
	key := q.key[v]
	for i > 0 {
		parent := (i - 1) / 2
		u := q.heap[parent]
		if q.key[u] >= key {
			break
		}
		q.heap[i] = u
		q.at[u] = int32(i + 1)
		i = parent
	}
	q.heap[i] = v
	q.at[v] = int32(i + 1)
}

func (q *queue) down(i int) {
	v := q.heap[i]
	key := q.key[v]
	for {
		child := 2*i + 1
		if child >= len(q.heap) {
			break
		}
		if child+1 < len(q.heap) && q.key[q.heap[child+1]] > q.key[q.heap[child]] {
			child++
		}
		u := q.heap[child]
		if q.key[u] <= key {
			break
		}
		q.heap[i] = u
		q.at[u] = int32(i + 1)
		i = child
	}
	q.heap[i] = v
	q.at[v] = int32(i + 1)
}
