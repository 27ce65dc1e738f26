package dev.assay.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;

/** The workers of a run at once: the first on the thread of the conversation, each other on a platform thread of its own. */
final class Crew {
  private final List<Worker> workers;
  private final Numbers numbers;
  private final CountDownLatch ready;
  private final List<Thread> threads = new ArrayList<>();
  // One for each thread: those that wait at the same one are woken in turn, each by the one before.
  private final List<Semaphore> gates = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  Crew(List<Worker> workers, Numbers numbers) {
    this.workers = workers;
    this.numbers = numbers;
    ready = new CountDownLatch(workers.size() - 1);
  }

  /** Returns when each thread waits at its gate. What may fail was made ready before, so that none is missing there. */
  void gather() throws InterruptedException {
    try {
      for (int i = 1; i < workers.size(); i++) {
        gather(workers.get(i), "worker " + i);
      }
    } catch (OutOfMemoryError e) { // Java's word for a system that has no more threads, too
      numbers.end();
      gates.forEach(Semaphore::release);
      join();
      throw new IllegalStateException("only " + threads.size() + " more threads could be started", e);
    }
    ready.await();
  }

  private void gather(Worker worker, String name) {
    Semaphore gate = new Semaphore(0);
    Thread thread = new Thread(() -> {
      ready.countDown();
      gate.acquireUninterruptibly();
      work(worker);
    }, name);
    thread.start();
    threads.add(thread);
    gates.add(gate);
  }

  /** Opens the gates, and returns when all have ended. Throws what failed first. */
  void work() throws Exception {
    numbers.start();
    for (Semaphore gate : gates) {
      gate.release();
    }
    work(workers.get(0));
    join();
    Throwable first = failure.get();
    if (first instanceof Error error) {
      throw error;
    }
    if (first != null) {
      throw (Exception) first;
    }
  }

  private void join() throws InterruptedException {
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private void work(Worker worker) {
    try {
      if (!numbers.ended()) {
        worker.repeat(numbers);
      }
    } catch (Throwable e) { // on another thread nobody else would hear of it
      failure.compareAndSet(null, e);
      numbers.end();
    }
  }
}
