/* The sequencer of a published log (docs/decisions/0039-model-of-the-sequencer.md), for Spin.
 *
 * Users record entries, and instances sequence and publish them as src/features/published_logs does. Each step below
 * is one statement of the database or one call of the object store. An instance may be killed between any two steps;
 * then it starts again, or never, as long as another one lives. The last write of a killed instance may take effect
 * later.
 *
 * Asserted: no size is ever signed with two roots; no checkpoint covers an entry that no stored tile contains; no start
 * finds a published checkpoint that the database does not continue. Claim `kept`: all that users recorded is published
 * in the end.
 *
 * Mutations, each of which must fail: ANY_SIZE (a sequencer without the condition on the size), CHECKPOINT_FIRST
 * (a checkpoint before its tiles), NO_LOOK (an instance that leaves a checkpoint in the store to the one that
 * published it).
 */

#ifndef INSTANCES
#define INSTANCES 2
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef ENTRIES
#define ENTRIES 2   /* at most 3: a root is the list of its entries, two bits each */
#endif
#define TILES 2     /* of two entries each */
#define NONE 255

/* The database. */
bool pending[3];
byte at[4];         /* the entry at each position, plus 1 */
byte size;          /* entries with a position */
byte published;
byte own_root;      /* of the checkpoint of `published` entries */

/* The object store. */
byte partial[TILES];
byte whole[TILES];
byte object_size;   /* of the object `checkpoint` */
byte object_root;
bool is_late;       /* a write of a killed instance that has not taken effect yet */
byte late_size;
byte late_root;

/* What the world has seen. */
byte signed_root[4];

byte kills;
byte alive = INSTANCES;

#ifndef LATE_WRITES
#define LATE_WRITES true
#endif
#ifdef NO_LOOK
#define MUST_LOOK false
#else
#define MUST_LOOK (published != checked)
#endif
#define HAS_PENDING (pending[0] || pending[1] || pending[2])
#define TILE_HAS(p) (((whole[(p) / 2] >> (2 * ((p) % 2))) & 3) == at[p] || ((p) % 2 == 0 && partial[(p) / 2] == at[p]))
#define COVERED(s) (((s) < 1 || TILE_HAS(0)) && ((s) < 2 || TILE_HAS(1)) && ((s) < 3 || TILE_HAS(2)))
#define ROOT(s) (((s) > 0 -> at[0] : 0) + ((s) > 1 -> 4 * at[1] : 0) + ((s) > 2 -> 16 * at[2] : 0))

/* After each step that others can see: a kill after one that only reads is the same as one before it. */
inline may_be_killed() {
    if
    :: skip
    :: kills < KILLS -> kills++; goto killed
    fi
}

inline put_checkpoint() {
    written = NONE;
    do
    :: atomic { c_size = published; c_root = own_root }
       if
       :: c_size == written -> break
       :: else
       fi;
       written = c_size;
       if
       :: atomic { object_size = c_size; object_root = c_root; assert(COVERED(object_size)) }
       :: atomic { LATE_WRITES && kills < KILLS && !is_late ->
              kills++; is_late = true; late_size = c_size; late_root = c_root; goto killed }
       fi
    od
}

/* Reads the object first and the database second. */
inline check_publication() {
    atomic { o_size = object_size; o_root = object_root }
    atomic {
        k_published = published;
        assert(o_size <= published && o_root == ROOT(o_size))
    }
    if
    :: o_size != k_published -> put_checkpoint()
    :: else
    fi;
    checked = k_published
}

inline put_tiles() {
    n = k_published / 2;
    do
    :: 2 * n < to ->
       if
       :: 2 * n + 2 <= to -> whole[n] = at[2 * n] + 4 * at[2 * n + 1]
       :: else -> partial[n] = at[2 * n]
       fi;
       n++;
       may_be_killed()
    :: else -> break
    od;
    if
    :: k_published % 2 == 1 && to > k_published ->
       atomic { partial[k_published / 2] = 0; assert(COVERED(object_size)) };
       may_be_killed()
    :: else
    fi
}

inline sequence() {
    atomic {
        if
#ifdef ANY_SIZE
        :: true ->
#else
        :: size == k_size ->
#endif
           n = k_size;
           if :: pending[0] -> pending[0] = false; at[n] = 1; n++ :: else fi;
           if :: pending[1] -> pending[1] = false; at[n] = 2; n++ :: else fi;
           if :: pending[2] -> pending[2] = false; at[n] = 3; n++ :: else fi;
           size = n;
           n = 0
        :: else
        fi
    }
}

proctype user(byte entry) { pending[entry] = true }

proctype late_writer() {
end: do
    :: atomic { is_late -> object_size = late_size; object_root = late_root; is_late = false; late_size = 0;
           late_root = 0; assert(COVERED(object_size)) }
    od
}

proctype instance() {
    byte checked = NONE, written, c_size, c_root, o_size, o_root, k_size, k_published, to, n, root;
    bool is_first;
start:
    check_publication();
end:
    do
    :: HAS_PENDING || published < size || MUST_LOOK ->
       check_publication();
       atomic { k_size = size; k_published = published }
       if
       :: k_size == k_published -> sequence()
       :: else
       fi;
       may_be_killed();
       atomic { k_published = published; to = size }
       if
       :: k_published < to ->
#ifndef CHECKPOINT_FIRST
          put_tiles();
#endif
          atomic {
              root = ROOT(to);
              assert(signed_root[to] == 0 || signed_root[to] == root);
              signed_root[to] = root
          }
          atomic {
              is_first = published == k_published;
              if
              :: is_first ->
                 published = to;
                 own_root = root;
#ifndef CHECKPOINT_FIRST
                 assert(COVERED(published))
#endif
              :: else
              fi
          }
          may_be_killed();
          if
          :: is_first -> put_checkpoint()
          :: else
          fi;
#ifdef CHECKPOINT_FIRST
          put_tiles();
#endif
          root = 0; is_first = false
       :: else
       fi;
       /* What is not remembered is no state. */
       atomic { written = 0; c_size = 0; c_root = 0; o_size = 0; o_root = 0; k_size = 0; k_published = 0; to = 0; n = 0 }
    od;
killed:
    atomic {
        checked = NONE; written = 0; c_size = 0; c_root = 0; o_size = 0; o_root = 0; k_size = 0; k_published = 0; to = 0;
        n = 0; root = 0; is_first = false
    }
    if
    :: goto start
    :: atomic { alive > 1 -> alive-- }
    fi
}

init {
    byte i;
    atomic {
        for (i : 0 .. ENTRIES - 1) { run user(i) }
        for (i : 1 .. INSTANCES) { run instance() }
        if :: LATE_WRITES -> run late_writer() :: else fi
    }
}

ltl kept { <> (object_size == ENTRIES) }
